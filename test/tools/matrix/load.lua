-- load.lua - sends a load by sysbench: an event is a round; the environment as for load.py.
local lines, prepared = {}, {}

for line in io.lines(os.getenv("MATRIX_LOAD")) do
	local every, how, text = line:match("^(%d+)\t(%l+)\t(.*)$")
	if every and ("," .. os.getenv("MATRIX_HOWS") .. ","):find("," .. how .. ",", 1, true) then
		lines[#lines + 1] = { every = tonumber(every), how = how, text = text }
	end
end

function thread_init()
	connection = sysbench.sql.driver():connect()
	for _, line in ipairs(lines) do
		if line.how == "prepared" then
			local statement = connection:prepare(line.text)
			local number = statement:bind_create(sysbench.sql.type.INT)
			statement:bind_param(number)
			prepared[line.text] = { statement = statement, number = number }
		end
	end
	round = tonumber(os.getenv("MATRIX_FIRST"))
end

function event()
	for _, line in ipairs(lines) do
		if round % line.every == 0 then
			if line.how == "prepared" then
				prepared[line.text].number:set(round)
				prepared[line.text].statement:execute()
			else
				connection:query((line.text:gsub("%%d", tostring(round))))
			end
		end
	end
	round = round + 1
end

function thread_done()
	for _, p in pairs(prepared) do
		p.statement:close()
	end
	connection:disconnect()
end
