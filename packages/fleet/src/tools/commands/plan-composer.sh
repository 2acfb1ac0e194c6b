# plan a removal with Composer
# Arguments: the package.
planned=$(composer global remove --dry-run --no-progress --no-audit "$1" 2>&1) || refuse unplanned
field planned "$planned"
field dependents "$(composer global depends "$1" 2>/dev/null || :)"
