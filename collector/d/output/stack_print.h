/* stack_print.h - prints a stack as DTrace does: a line per frame; words are len bytes of program.h's enum d_stack. */
#ifndef HEATSCOPE_OUTPUT_STACK_PRINT_H
#define HEATSCOPE_OUTPUT_STACK_PRINT_H

#include "collector/d/output/symbols.h"

#include <stdbool.h>
#include <stdio.h>

/* Takes the frames of the tracing itself off a kernel's stack: they differ with the other programs at the same tracepoint. */
void d_stack_trim(struct d_symbols *s, void *words, size_t len);

void d_stack_print(struct d_symbols *s, bool is_user, const void *words, size_t len, FILE *out);

#endif
