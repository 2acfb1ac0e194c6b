# send source
# Arguments: those of checkout.sh. Prints an archive of the checkout without its receipt, and nothing else.
enter >&2
proven "./$name" || exit 1
cd "./$name" || exit 1
exec tar --create --format=pax --exclude="./.git/$receipt" --file=- .
