-- wrk.lua - sends a load by wrk, on one connection; the environment as for load.py.  The thread stops after the last round.
local paths = {}
local first, rounds = tonumber(os.getenv("MATRIX_FIRST")), tonumber(os.getenv("MATRIX_ROUNDS"))
local at, answered = -1, 0	-- wrk asks for one request that it does not send

for line in io.lines(os.getenv("MATRIX_LOAD")) do
	local every, how, text = line:match("^(%d+)\t(%l+)\t(.*)$")
	if every and ("," .. os.getenv("MATRIX_HOWS") .. ","):find("," .. how .. ",", 1, true) then
		for i = first, first + rounds - 1 do
			if i % tonumber(every) == 0 then
				paths[#paths + 1] = (text:gsub("%%d", tostring(i)))
			end
		end
	end
end

function request()
	at = at + 1
	return wrk.format("GET", paths[math.max(at, 1)] or paths[#paths])
end

function response()
	answered = answered + 1
	if answered == #paths then
		wrk.thread:stop()
		-- The process would wait for the end of its time.  While system() runs it ignores the signal.
		os.execute("{ sleep 0.1; kill -INT $PPID; } &")
	end
end
