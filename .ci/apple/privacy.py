"""Finds APIs that an app may only use with a reason in its privacy manifest ("required reason APIs").

The library has no privacy manifest, so it may not use them: the App Store reports a use when an app is uploaded
(ITMS-91053). The names are those of Apple's list.
"""
import re
from pathlib import Path

# Looked up in the compiled code, since code for Linux may use them.
FUNCTIONS = set("""
stat fstat fstatat lstat getattrlist getattrlistbulk fgetattrlist getattrlistat
statfs statvfs fstatfs fstatvfs mach_absolute_time
""".split())
# Looked up in the source, since the stubs don't declare them the way Apple does.
WORDS = set("""
UserDefaults AppStorage systemUptime activeInputModes
creationDate creationDateKey modificationDate fileModificationDate contentModificationDate
contentModificationDateKey systemFreeSize systemSize volumeAvailableCapacity volumeAvailableCapacityKey
volumeTotalCapacity volumeTotalCapacityKey volumeAvailableCapacityForImportantUsage volumeAvailableCapacityForImportantUsageKey
volumeAvailableCapacityForOpportunisticUsage volumeAvailableCapacityForOpportunisticUsageKey
""".split())


def uses(ir, files):
    """The names of the APIs that a module uses, sorted."""
    found = FUNCTIONS & set(re.findall(r"^declare .*?@(\w+)\(", ir, re.MULTILINE))
    for file in files:
        code = re.sub(r"//.*", "", Path(file).read_text())
        found |= WORDS & set(re.findall(r"\w+", code))
    return sorted(found)
