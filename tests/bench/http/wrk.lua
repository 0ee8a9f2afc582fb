-- Sends the lines of a file, each as the JSON body of a POST, in turn. Prints the figures as one line of JSON.
-- Usage: wrk -s wrk.lua URL -- FILE

local requests, count, at = {}, 0, 0

function init(args)
  wrk.method = "POST"
  for line in io.lines(args[1]) do
    count = count + 1
    requests[count] = wrk.format(nil, nil, nil, line)
  end
end

function request()
  at = at % count + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format(
    '\n{"requests": %d, "seconds": %.6f, "failed": %d, "p50": %.1f, "p99": %.1f}\n',
    summary.requests, summary.duration / 1e6, failed, latency:percentile(50), latency:percentile(99)))
end
