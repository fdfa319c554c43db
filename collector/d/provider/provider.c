#include "collector/d/provider/provider.h"

static const struct d_provider *const providers[] = { &d_provider_profile, &d_provider_syscall, &d_provider_sched, &d_provider_pid, &d_provider_static };

const struct d_provider *d_provider_at(size_t i) { return i < sizeof(providers) / sizeof(*providers) ? providers[i] : NULL; }
