# What a step of the Project is to find as the session had it.
session_locale=${LC_ALL-} session_path=$PATH
