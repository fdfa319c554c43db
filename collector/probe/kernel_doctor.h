/* kernel_doctor.h - reports on the kernel's probe, for people: probe.h's try and doctor.  On the probe's thread. */
#ifndef HEATSCOPE_KERNEL_DOCTOR_H
#define HEATSCOPE_KERNEL_DOCTOR_H

#include <stdio.h>

void kernel_try(void *self);
void kernel_doctor(void *self, FILE *out);

#endif
