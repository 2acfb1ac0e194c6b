import type { Question } from '#/nodes/api.ts'

/** Which of the units do not run; a star in a name stands for a version. */
export const unitsQuestion = (units: readonly string[]): Question<readonly string[]> => ({
  source: SOURCE,
  args: units,
  read: ({ exitCode, text }) => {
    const lines = text.split('\n')
    if (exitCode !== 0 || lines.pop() !== 'end') return undefined
    return lines.every((line) => units.includes(line)) ? lines : undefined
  },
})

const SOURCE = `
PATH=/usr/sbin:/usr/bin:/sbin:/bin
for pattern; do
  found=
  for unit in $(systemctl list-unit-files --no-legend --no-pager --type=service "$pattern" | awk '{ print $1 }'); do
    found=\${found:-yes}
    systemctl -q is-active "$unit" || found=no
  done
  [ "$found" = yes ] || printf '%s\\n' "$pattern"
done
echo end
`
