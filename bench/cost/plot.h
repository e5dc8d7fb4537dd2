/* SPDX-License-Identifier: BSD-3-Clause */
/* The sweep as a picture, drawn by gnuplot. */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

/**
 * plot_open() - before anything is measured: can there be a picture?
 * @path: a file that ends with .svg or .png
 * Return: 0, or the exit status after a message: 2 for another ending; 1 without gnuplot, or where
 * the file cannot be written.
 */
int plot_open(const char *path);

/**
 * plot_draw() - what the sweep has measured.  Return: 0, or 1 after a message; then no empty file
 * is left.
 */
int plot_draw(void);

#endif
