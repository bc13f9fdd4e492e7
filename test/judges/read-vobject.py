"""Reads calendars with vobject, and prints the times of their events as JSON."""
import datetime
import json
import sys

try:
    import vobject
except ImportError:
    sys.exit(3)

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def when(event, name):
    if not hasattr(event, name):
        return None
    value = getattr(event, name).value
    if not isinstance(value, datetime.datetime):
        return value.isoformat()
    if value.tzinfo is None:
        return "floating " + value.isoformat()
    return round((value - EPOCH).total_seconds())


def read(file):
    # Zones of earlier files must not help.
    vobject.icalendar.__dict__.get("__tzidMap", {}).clear()
    vobject.icalendar.registerTzid("UTC", vobject.icalendar.utc)
    with open(file, encoding="utf-8", newline="") as stream:
        calendar = vobject.readOne(stream)
    return [
        {
            "uid": event.uid.value,
            "title": event.summary.value,
            "start": when(event, "dtstart"),
            "end": when(event, "dtend"),
        }
        for event in calendar.contents.get("vevent", [])
    ]


print(json.dumps({file: read(file) for file in sys.argv[1:]}))
