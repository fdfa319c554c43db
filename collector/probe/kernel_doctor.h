/* kernel_doctor.h - reports to people how the kernel's probe works: it gives probe.h's try and doctor.
 *
 * Thread  the probe's.
 */
#ifndef HEATSCOPE_KERNEL_DOCTOR_H
#define HEATSCOPE_KERNEL_DOCTOR_H

#include <stdio.h>

void kernel_try(void *self);
void kernel_doctor(void *self, FILE *out);

#endif
