-- sysbench's point selects without end.  How many there were in each 10 ms of CLOCK_MONOTONIC, and how long they took, is in a file
-- that whoever measures maps too: reading it costs the load nothing.
--
-- After every 20 queries the client does, in turn, one of two pieces of work of its own, about 0.1 ms each: counting at random places
-- of 1 MB, and short reads of /dev/zero.  They say at which pace the CPU, its caches and the kernel's entry work right then; no
-- instrument of the queries hooks anything in them.
require("oltp_point_select")
local ffi = require("ffi")

ffi.cdef[[
int open(const char *path, int flags, ...);
long pread(int fd, void *buffer, size_t n, long offset);
void *mmap(void *at, size_t length, int prot, int flags, int fd, long offset);
typedef struct { long s, ns; } instant_t;
int clock_gettime(int clock, instant_t *instant);
typedef struct { uint64_t n[3], ns[3]; } bin_t;		/* of queries, of either work */
]]

sysbench.cmdline.options.counts = {"File of a bin_t per 10 ms", ""}
sysbench.cmdline.options.from = {"Its first second, of CLOCK_MONOTONIC", 0}
sysbench.cmdline.options.bins = {"How many bins it has", 0}

local QUERIES, CELLS, TOUCHES, READS = 20, 262144, 4000, 200
local query, init = event, thread_init
local bins, n_bins, from, zero, last
local instant, cells, buffer = ffi.new("instant_t"), ffi.new("uint32_t[?]", CELLS), ffi.new("char[256]")
local n, turn = 0, 1

local function now()
   ffi.C.clock_gettime(1, instant)
   return (tonumber(instant.s) - from) * 1e9 + tonumber(instant.ns)
end

local function touch()
   local at = 1
   for _ = 1, TOUCHES do
      at = (at * 1103515245 + 12345) % CELLS
      cells[at] = cells[at] + 1
   end
end

local function read()
   for _ = 1, READS do
      ffi.C.pread(zero, buffer, 256, 0)
   end
end

local function count(kind)
   local t = now()
   local bin = math.floor(t / 1e7)
   if bin >= 0 and bin < n_bins then
      bins[bin].n[kind] = bins[bin].n[kind] + 1
      bins[bin].ns[kind] = bins[bin].ns[kind] + (t - last)
   end
   last = t
end

function thread_init()
   init()
   from, n_bins = sysbench.opt.from, sysbench.opt.bins
   local fd = ffi.C.open(sysbench.opt.counts, 2)
   assert(fd >= 0, "no file of counts")
   bins = ffi.cast("bin_t *", ffi.C.mmap(nil, ffi.sizeof("bin_t") * n_bins, 3, 1, fd, 0))
   zero = ffi.C.open("/dev/zero", 0)
   last = now()
end

function event()
   query()
   count(0)
   n = n + 1
   if n < QUERIES then
      return
   end
   n = 0
   if turn == 1 then touch() else read() end
   count(turn)
   turn = 3 - turn
end
