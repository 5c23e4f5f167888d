"""The shapes of everything that is stored or sent: records, HTTP bodies, settings, errors."""
