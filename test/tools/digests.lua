-- Statements over many digests, each as often as chance has it, with literals that differ; what was sent is told at the end.
--
--     sysbench test/tools/digests.lua --digests=200 --prepared=off --counts=FILE ... run      (FILE.0, FILE.1 ...)
sysbench.cmdline.options = {
	digests = { "How many", 200 },
	prepared = { "Prepared once and executed, not as text", false },
	counts = { "Files for `digest<TAB>count`, one for each thread", "" },
}

local sent, statement, first, second = {}, {}, {}, {}

function thread_init()
	connection = sysbench.sql.driver():connect()
	for i = 1, sysbench.opt.digests do
		sent[i] = 0
		if sysbench.opt.prepared then
			statement[i] = connection:prepare("SELECT ? AS d" .. i .. ", ?")
			first[i] = statement[i]:bind_create(sysbench.sql.type.INT)
			second[i] = statement[i]:bind_create(sysbench.sql.type.VARCHAR, 16)
			statement[i]:bind_param(first[i], second[i])
		end
	end
end

local function send(i, number, text)
	if not sysbench.opt.prepared then
		connection:query("SELECT " .. number .. " AS d" .. i .. ", '" .. text .. "'")
		return
	end
	first[i]:set(number)
	second[i]:set(text)
	statement[i]:execute()
end

function event()
	local i = sysbench.rand.uniform(1, sysbench.opt.digests)

	send(i, sysbench.rand.uniform(1, 1000000), sysbench.rand.string("planted-########"))
	sent[i] = sent[i] + 1
end

function thread_done()
	local file = io.open(sysbench.opt.counts .. "." .. sysbench.tid, "w")
	local lines = {}

	for i = 1, sysbench.opt.digests do
		lines[i] = "select ? as d" .. i .. " , ?\t" .. sent[i] .. "\n"
	end
	file:write(table.concat(lines))
	file:close()
	connection:disconnect()
end
