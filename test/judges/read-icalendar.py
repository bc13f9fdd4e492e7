"""Reads calendars with icalendar, and prints the times of their events as JSON."""
import datetime
import json
import sys

try:
    from icalendar import Calendar
except ImportError:
    sys.exit(3)

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def when(event, name):
    if name not in event:
        return None
    value = event.decoded(name)
    if not isinstance(value, datetime.datetime):
        return value.isoformat()
    if value.tzinfo is None:
        return "floating " + value.isoformat()
    return round((value - EPOCH).total_seconds())


def read(file):
    with open(file, "rb") as stream:
        calendar = Calendar.from_ical(stream.read())
    return [
        {
            "uid": str(event["UID"]),
            "title": str(event["SUMMARY"]),
            "start": when(event, "DTSTART"),
            "end": when(event, "DTEND"),
        }
        for event in calendar.walk("VEVENT")
    ]


print(json.dumps({file: read(file) for file in sys.argv[1:]}))
