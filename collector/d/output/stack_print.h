/* stack_print.h - prints a stack as DTrace does, a line per frame, without the functions of the tracing itself.
 *
 * Shape   words: len bytes, as program.h's enum d_stack says; of the kernel's, D_TRACING_FRAMES more than are printed.
 * Memory  borrowed.
 * Thread  any, one at a time for each d_symbols.
 */
#ifndef HEATSCOPE_OUTPUT_STACK_PRINT_H
#define HEATSCOPE_OUTPUT_STACK_PRINT_H

#include "collector/d/output/symbols.h"

#include <stdbool.h>
#include <stdio.h>

/* Removes the tracing's own frames from a stack of the kernel, in place.  They depend on which other programs are at the
 * same tracepoint, so two stacks that are printed alike could differ without it.  Trimming again changes nothing. */
void d_stack_trim(struct d_symbols *s, void *words, size_t len);

void d_stack_print(struct d_symbols *s, bool is_user, const void *words, size_t len, FILE *out);

#endif
