# SPDX-License-Identifier: BSD-3-Clause
"""Functions that end in every way there is; what it prints is the same, measured or not."""
import asyncio
import contextlib
import sys
import threading


def leaf(n):
    return n + 1


def total(n):
    return sum(leaf(i) for i in range(n))


class Solver:
    def step(self):
        def inner():
            return [x for x in range(3)]
        return inner()


def numbers(n):
    for i in range(n):
        yield leaf(i)


def delegates():
    return (yield from numbers(2))


def raises():
    raise ValueError("on purpose")


def passes_on():
    try:
        raises()
    finally:
        leaf(0)


def catches():
    try:
        passes_on()
    except ValueError:
        return leaf(1)


def thrown():
    try:
        yield 1
    except KeyError:
        yield 2


def throw():
    one = thrown()
    next(one)
    one.throw(KeyError())
    one.close()
    one = thrown()
    next(one)
    with contextlib.suppress(IndexError):
        one.throw(IndexError())


async def sleeper():
    await asyncio.sleep(0)
    return leaf(1)


async def both():
    return await asyncio.gather(sleeper(), sleeper())


def deep(n):
    return n and deep(n - 1)


def work():
    for _ in range(10):
        leaf(1)


def threads():
    its = [threading.Thread(target=work) for _ in range(2)]
    for one in its:
        one.start()
    for one in its:
        one.join()


def leaves():
    sys.exit(3)


def main():
    print(total(5), Solver().step(), list(numbers(3)), list(delegates()))
    catches()
    throw()
    print(asyncio.run(both()), deep(200))
    threads()
    leaves()


if __name__ == "__main__":
    main()
