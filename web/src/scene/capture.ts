/** Pictures and films of the canvas, as files to keep. */

export function download(href: string, name: string): void {
  const link = document.createElement("a");
  link.href = href;
  link.download = name;
  link.click();
}

/** Records the canvas as it is drawn, until stopped; null where the browser cannot. */
export class VideoRecorder {
  private recorder: MediaRecorder | null = null;

  static get possible(): boolean {
    return typeof MediaRecorder !== "undefined" && "captureStream" in HTMLCanvasElement.prototype;
  }

  get on(): boolean {
    return this.recorder !== null;
  }

  start(canvas: HTMLCanvasElement, name: string): void {
    const types = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];
    const mimeType = types.find((type) => MediaRecorder.isTypeSupported(type));
    const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType, videoBitsPerSecond: 8e6 });
    const pieces: Blob[] = [];
    recorder.ondataavailable = (event) => pieces.push(event.data);
    recorder.onstop = () => {
      const href = URL.createObjectURL(new Blob(pieces, { type: "video/webm" }));
      download(href, name);
      setTimeout(() => URL.revokeObjectURL(href), 10_000);
    };
    recorder.start(500);
    this.recorder = recorder;
  }

  stop(): void {
    this.recorder?.stop();
    this.recorder = null;
  }
}
