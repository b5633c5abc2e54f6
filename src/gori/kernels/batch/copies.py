"""What a thread does to put numbers into the memory of its machine, or to take them out.

An image holds the arrays of one machine, one after the other. A table says where they are, four words for each array:
its address in the memory of all machines, that in the image, how many words one machine has, and whether they stand
SIDE_BY_SIDE.
"""

from gori.kernels.batch.members import WORD, read_byte, read_word, write_word
from gori.kernels.jit import part


@part
def place_of(row, i, machines, t):
    """Address of word i of an array, of machine t; row: of the table."""
    first, words, side = read_word(row), read_word(row + 2 * WORD), read_word(row + 3 * WORD)
    return first + WORD * (i * machines + t if side != 0 else t * words + i)


@part
def put_image(table, arrays, mask, machines, t, thread, threads):
    """The image into machine t by many threads, if its byte of the mask is set."""
    if read_byte(mask + t) == 0:
        return
    for a in range(arrays):
        row = table + 4 * WORD * a
        source = read_word(row + WORD)
        for i in range(thread, read_word(row + 2 * WORD), threads):
            write_word(place_of(row, i, machines, t), read_word(source + WORD * i))


@part
def take_image(table, arrays, machines, t, thread, threads):
    """Machine t into the image, by many threads."""
    for a in range(arrays):
        row = table + 4 * WORD * a
        to = read_word(row + WORD)
        for i in range(thread, read_word(row + 2 * WORD), threads):
            write_word(to + WORD * i, read_word(place_of(row, i, machines, t)))


@part
def put_numbers(table, numbers, values, sets, mask, t):
    """Numbers of its set into machine t, if its byte of the mask is set.

    table    two words for each number: its address in machine 0, and how far apart machines are [bytes]
    values   (sets, numbers)
    sets     which set each machine has (machines,)
    """
    if read_byte(mask + t) == 0:
        return
    own = values + WORD * numbers * read_word(sets + WORD * t)
    for k in range(numbers):
        row = table + 2 * WORD * k
        write_word(read_word(row) + t * read_word(row + WORD), read_word(own + WORD * k))


@part
def choose_set(sets, given, many, mask, t):
    """The set that is given for machine t becomes its own, if its byte of the mask is set and there is such a set, of
    so many: on a device nobody can be told that there is none.
    """
    one = read_word(given + WORD * t)
    if read_byte(mask + t) != 0 and 0 <= one < many:
        write_word(sets + WORD * t, one)
