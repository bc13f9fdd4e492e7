"""Reads calendars with libical, and prints the times of their events as JSON."""
import json
import sys

try:
    import gi

    gi.require_version("ICalGLib", "3.0")
    from gi.repository import ICalGLib
except (ImportError, ValueError):
    sys.exit(3)


def when(calendar, property, time):
    if property is None:
        return None
    if time.is_date():
        return "%04d-%02d-%02d" % (time.get_year(), time.get_month(), time.get_day())
    if time.is_utc():
        return time.as_timet()
    parameter = property.get_first_parameter(ICalGLib.ParameterKind.TZID_PARAMETER)
    zone = parameter and calendar.get_timezone(parameter.get_tzid())
    if zone is None:
        return "floating " + time.as_ical_string()
    return time.as_timet_with_zone(zone)


def events_of(calendar):
    event = calendar.get_first_component(ICalGLib.ComponentKind.VEVENT_COMPONENT)
    while event is not None:
        start = event.get_first_property(ICalGLib.PropertyKind.DTSTART_PROPERTY)
        end = event.get_first_property(ICalGLib.PropertyKind.DTEND_PROPERTY)
        yield {
            "uid": event.get_uid(),
            "title": event.get_summary(),
            "start": when(calendar, start, start.get_dtstart()),
            "end": when(calendar, end, end.get_dtend()) if end else None,
        }
        event = calendar.get_next_component(ICalGLib.ComponentKind.VEVENT_COMPONENT)


def read(file):
    with open(file, encoding="utf-8", newline="") as stream:
        calendar = ICalGLib.Component.new_from_string(stream.read())
    errors = calendar.count_errors()
    if errors > 0:
        raise ValueError("%s has %d errors" % (file, errors))
    return list(events_of(calendar))


print(json.dumps({file: read(file) for file in sys.argv[1:]}))
