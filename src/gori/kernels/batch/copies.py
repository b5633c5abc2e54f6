"""What a thread does to put numbers into the memory of its machine, or to take them out.

An image holds the arrays of one machine, one after the other. A table says where they are, ROW words for each array:
its address in the memory of all machines, that in the image, how many words one machine has, and how far apart in bytes
stand tiles of machines, the machines of a tile, and the words of a machine. Where the machines of a tile are HALF a
word apart, numbers stand in place of words.
"""

from gori.kernels.batch.members import HALF, TILE, WORD, copy_half, read_byte, read_word, write_single, write_word
from gori.kernels.jit import part

ROW = 6
"""words of an array in the table"""


@part
def place_of(row, i, t):
    """Address of word i of an array, of machine t; row: of the table."""
    tiles, machines, words = read_word(row + 3 * WORD), read_word(row + 4 * WORD), read_word(row + 5 * WORD)
    return read_word(row) + (t // TILE) * tiles + (t % TILE) * machines + i * words


@part
def put_image(table, arrays, mask, machines, t, thread, threads):
    """The image into machine t by many threads, if its byte of the mask is set."""
    if read_byte(mask + t) == 0:
        return
    for a in range(arrays):
        row = table + ROW * WORD * a
        source, single = read_word(row + WORD), read_word(row + 4 * WORD) == HALF
        for i in range(thread, read_word(row + 2 * WORD), threads):
            if single:
                copy_half(place_of(row, i, t), source + HALF * i)
            else:
                write_word(place_of(row, i, t), read_word(source + WORD * i))


@part
def take_image(table, arrays, machines, t, thread, threads):
    """Machine t into the image, by many threads."""
    for a in range(arrays):
        row = table + ROW * WORD * a
        to, single = read_word(row + WORD), read_word(row + 4 * WORD) == HALF
        for i in range(thread, read_word(row + 2 * WORD), threads):
            if single:
                copy_half(to + HALF * i, place_of(row, i, t))
            else:
                write_word(to + WORD * i, read_word(place_of(row, i, t)))


@part
def put_numbers(table, numbers, values, sets, mask, t):
    """Numbers of its set into machine t, if its byte of the mask is set.

    table    three words for each number: its address in machine 0, and how far apart tiles of machines are, and the
             machines of a tile [bytes]; where these are HALF a word apart, it is stored as float32
    values   (sets, numbers)
    sets     which set each machine has (machines,)
    """
    if read_byte(mask + t) == 0:
        return
    own = values + WORD * numbers * read_word(sets + WORD * t)
    for k in range(numbers):
        row = table + 3 * WORD * k
        to = read_word(row) + (t // TILE) * read_word(row + WORD) + (t % TILE) * read_word(row + 2 * WORD)
        value = read_word(own + WORD * k)
        if read_word(row + 2 * WORD) == HALF:
            write_single(to, value)
        else:
            write_word(to, value)


@part
def choose_set(sets, given, many, mask, t):
    """The set that is given for machine t becomes its own, if its byte of the mask is set and there is such a set, of
    so many: on a device nobody can be told that there is none.
    """
    one = read_word(given + WORD * t)
    if read_byte(mask + t) != 0 and 0 <= one < many:
        write_word(sets + WORD * t, one)
