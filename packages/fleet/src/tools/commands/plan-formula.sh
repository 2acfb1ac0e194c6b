# plan the removal of a formula
# Arguments: the formula. Of what is installed, what requires it.
needed=$(brew uses --installed "$1") || refuse unplanned
field needed "$needed"
