/* stack_print.h - prints a stack as DTrace does: a line per frame. */
#ifndef HEATSCOPE_OUTPUT_STACK_PRINT_H
#define HEATSCOPE_OUTPUT_STACK_PRINT_H

#include "collector/d/output/symbols.h"

#include <stdbool.h>
#include <stdio.h>

/* words: len bytes of program.h's enum d_stack. */
void d_stack_print(struct d_symbols *s, bool is_user, const void *words, size_t len, FILE *out);

#endif
