"""The Rego of instants, time zones and time windows, the package `writ.windows`: rules C7 and C8."""

TEXT = r"""# Time windows.
#
# Written by `writ export --as rego`. It is the same for every model.
#
# An instant is [seconds since 1970 in UTC, nanoseconds], and readable in the years 0001 to 9999.
package writ.windows

import data.writ.model
import data.writ.request
import data.writ.values

first_second := -62135596800

end_second := 253402300800

# Whether the instant of the request is in the window.
during(window) if {
	is_dated(window)
	not window.days
}

during(window) if {
	is_dated(window)
	local := local_time(window.timezone)
	covers(window, local.day, local.minute)
}

# The same for a DENY, which an unreadable time does not switch off (C7).
during_or_unreadable(window) if during(window)

during_or_unreadable(_) if {
	is_sent
	not instant
}

# Near the ends of the readable years, a wall clock can't show every instant.
during_or_unreadable(window) if {
	is_sent
	is_dated(window)
	window.days
	not local_time(window.timezone)
}

is_dated(window) if {
	instant
	not is_early(window)
	not is_late(window)
}

is_early(window) if instant < window.not_before

is_late(window) if instant >= window.not_after

# Day 0 is Monday. If `start` is after `end`, the window belongs to the day on which it starts.
covers(window, day, minute) if {
	window.start < window.end
	day in window.days
	window.start <= minute
	minute < window.end
}

covers(window, day, minute) if {
	window.start > window.end
	day in window.days
	minute >= window.start
}

covers(window, day, minute) if {
	window.start > window.end
	((day + 6) % 7) in window.days
	minute < window.end
}

# The day of the week and the minute of the day. 1970-01-01 is a Thursday.
local_time(zone) := {"day": days - (7 * quotient(days, 7)), "minute": quotient(second, 60)} if {
	local := instant[0] + offset(model.zones[zone], instant[0])
	local >= first_second
	local < end_second
	days := quotient(local, 86400) + 3
	second := local - ((days - 3) * 86400)
}

# Integers divided and rounded down. OPA's `floor` is wrong between -1 and 0.
quotient(dividend, divisor) := floor(dividend / divisor) if {
	dividend >= 0
} else := 0 - floor(((divisor - 1) - dividend) / divisor)

# The offset of a zone from UTC in seconds. The changes of a zone are listed in blocks of 2^25 seconds. Each block
# begins with the offset that is in force at its start.
offset(zone, second) := zone.before if second < zone.start

offset(zone, second) := zone.after if {
	second >= zone.end
	not zone.repeats
}

offset(zone, second) := offset_in_block(zone, second) if {
	second >= zone.start
	second < zone.end
}

# From then on, the changes repeat every 400 years, which are 146,097 days.
offset(zone, second) := offset_in_block(zone, second - (12622780800 * cycles)) if {
	second >= zone.end
	zone.repeats
	cycles := quotient(second - zone.end, 12622780800) + 1
}

offset_in_block(zone, second) := changes[count(changes) - 1][1] if {
	block := quotient(second, 33554432) - quotient(zone.start, 33554432)
	changes := [change | some change in zone.blocks[block]; change[0] <= second]
}

is_sent if request.attributes.context.time != null

instant := clock if {
	not is_sent
} else := read(request.attributes.context.time)

clock := [seconds, nanoseconds - (seconds * 1000000000)] if {
	nanoseconds := time.now_ns()
	seconds := quotient(nanoseconds, 1000000000)
}

# An RFC 3339 text with an offset, or seconds since 1970.
read(value) := readable(from_text(value)) if is_string(value)

read(value) := readable(from_number(value)) if is_number(value)

readable(found) := found if {
	found[0] >= first_second
	found[0] < end_second
}

rfc3339 := concat("", [
	`^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?`,
	`(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))$`,
])

from_text(text) := [local - east, whole(substring(concat("", [parts[7], "000000000"]), 0, 9))] if {
	count(text) <= 64
	parts := regex.find_all_string_submatch_n(rfc3339, text, 1)[0]
	[year, month, day] := [whole(parts[1]), whole(parts[2]), whole(parts[3])]
	[hour, minute, second] := [whole(parts[4]), whole(parts[5]), whole(parts[6])]
	[off_hours, off_minutes] := [whole(parts[9]), whole(parts[10])]
	year > 0
	day > 0
	day <= days_in_month(year, month)
	hour < 24
	minute < 60
	second < 60
	off_hours < 24
	off_minutes < 60
	local := ((days_until(year, month, day) * 86400) + (hour * 3600)) + ((minute * 60) + second)
	east := ((off_hours * 3600) + (off_minutes * 60)) * sign(parts[8])
}

sign(text) := -1 if {
	text == "-"
} else := 1

whole(text) := to_number(trimmed) if {
	trimmed := trim_left(text, "0")
	trimmed != ""
} else := 0

days_in_month(year, 2) := 29 if is_leap(year)

days_in_month(year, 2) := 28 if not is_leap(year)

days_in_month(_, month) := [31, 0, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] if month != 2

is_leap(year) if {
	year % 4 == 0
	year % 100 != 0
}

is_leap(year) if year % 400 == 0

# The days from 1970-01-01 to a date. Years are counted from March, so that a leap day is the last of its year.
days_until(year, month, day) := (days_before_year + days_before_month) + (day - 719469) if {
	months := (month + 9) % 12
	from_march := year - object.get({1: 1, 2: 1}, month, 0)
	leap_days := (quotient(from_march, 4) - quotient(from_march, 100)) + quotient(from_march, 400)
	days_before_year := (365 * from_march) + leap_days
	days_before_month := quotient((153 * months) + 2, 5)
}

from_number(number) := [number, 0] if not values.is_real(json.marshal(number))

# All digits of a double. Digits beyond nanoseconds are cut off, towards the past.
from_number(number) := past(startswith(text, "-"), whole(parts[0]), whole(substring(parts[1], 0, 9)), rest) if {
	values.is_real(json.marshal(number))
	abs(number) < 1000000000000
	text := sprintf("%.1074f", [number])
	parts := split(trim_left(text, "-"), ".")
	rest := count(trim(substring(parts[1], 9, -1), "0"))
}

past(false, seconds, nanoseconds, _) := [seconds, nanoseconds]

past(true, seconds, nanoseconds, 0) := [0 - seconds, 0] if nanoseconds == 0

past(true, seconds, nanoseconds, 0) := [-1 - seconds, 1000000000 - nanoseconds] if nanoseconds > 0

past(true, seconds, nanoseconds, rest) := [-1 - seconds, 999999999 - nanoseconds] if rest > 0
"""
"""The file `writ/windows.rego`."""
