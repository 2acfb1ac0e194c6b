# plan a removal with apt
# Arguments: the package.
# apt plans nothing for a machine that lost its power in the middle.
plan_removal "$1" || { finish_interrupted && plan_removal "$1"; } || refuse_unplanned
if plans_essential; then refuse package_essential; fi
field plan "$planned"
