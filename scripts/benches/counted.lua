-- sysbench's point selects without end.  How many ended in each 10 ms of CLOCK_MONOTONIC is in a file that whoever measures maps
-- too: reading it costs the load nothing, and the moment of a segment's start is known to 10 ms.
require("oltp_point_select")
local ffi = require("ffi")

ffi.cdef[[
int open(const char *path, int flags, ...);
void *mmap(void *at, size_t length, int prot, int flags, int fd, long offset);
typedef struct { long s, ns; } instant_t;
int clock_gettime(int clock, instant_t *instant);
]]

sysbench.cmdline.options.counts = {"File of a 32 bit count per 10 ms", ""}
sysbench.cmdline.options.from = {"Its first second, of CLOCK_MONOTONIC", 0}
sysbench.cmdline.options.bins = {"How many counts it has", 0}

local one, init = event, thread_init
local counts, instant, from, bins

function thread_init()
   init()
   from, bins = sysbench.opt.from, sysbench.opt.bins
   local fd = ffi.C.open(sysbench.opt.counts, 2)
   assert(fd >= 0, "no file of counts")
   counts = ffi.cast("uint32_t *", ffi.C.mmap(nil, 4 * bins, 3, 1, fd, 0))
   instant = ffi.new("instant_t")
end

function event()
   one()
   ffi.C.clock_gettime(1, instant)
   local bin = (tonumber(instant.s) - from) * 100 + math.floor(tonumber(instant.ns) / 1e7)
   if bin >= 0 and bin < bins then
      counts[bin] = counts[bin] + 1
   end
end
