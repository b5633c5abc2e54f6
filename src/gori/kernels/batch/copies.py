"""What a thread does to put numbers into the memory of its machine, or to take them out.

An image holds the arrays of one machine, one after the other. A table says where they are, four words for each array:
its address in the memory of all machines, that in the image, how many words one machine has, and whether they stand
SIDE_BY_SIDE; or SINGLES, and then how many numbers of half a word.
"""

from gori.kernels.batch.members import HALF, SINGLES, WORD, copy_half, read_byte, read_word, write_single, write_word
from gori.kernels.jit import part


@part
def place_of(row, i, machines, t):
    """Address of word i of an array, of machine t; row: of the table."""
    first, words, side = read_word(row), read_word(row + 2 * WORD), read_word(row + 3 * WORD)
    if side == SINGLES:
        return first + HALF * (i * machines + t)
    return first + WORD * (i * machines + t if side != 0 else t * words + i)


@part
def put_image(table, arrays, mask, machines, t):
    """The image into machine t, if its byte of the mask is set."""
    if read_byte(mask + t) == 0:
        return
    for a in range(arrays):
        row = table + 4 * WORD * a
        source, single = read_word(row + WORD), read_word(row + 3 * WORD) == SINGLES
        for i in range(read_word(row + 2 * WORD)):
            if single:
                copy_half(place_of(row, i, machines, t), source + HALF * i)
            else:
                write_word(place_of(row, i, machines, t), read_word(source + WORD * i))


@part
def take_image(table, arrays, machines, t, thread, threads):
    """Machine t into the image, by many threads."""
    for a in range(arrays):
        row = table + 4 * WORD * a
        to, single = read_word(row + WORD), read_word(row + 3 * WORD) == SINGLES
        for i in range(thread, read_word(row + 2 * WORD), threads):
            if single:
                copy_half(to + HALF * i, place_of(row, i, machines, t))
            else:
                write_word(to + WORD * i, read_word(place_of(row, i, machines, t)))


@part
def put_numbers(table, numbers, values, mask, machines, t):
    """Numbers of its own into machine t, if its byte of the mask is set.

    table    two words for each number: its address in machine 0, and how far apart machines are [bytes]: where that is
             HALF, they are stored as float32
    values   (numbers, machines)
    """
    if read_byte(mask + t) == 0:
        return
    for k in range(numbers):
        row = table + 2 * WORD * k
        apart, value = read_word(row + WORD), read_word(values + WORD * (k * machines + t))
        to = read_word(row) + t * apart
        if apart == HALF:
            write_single(to, value)
        else:
            write_word(to, value)
