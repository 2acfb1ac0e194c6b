import type { UnitReport } from '@fleet/contract'
import { ROOT_FILES, textFile } from '@fleet/shell'
import { troubleOf, UNIT_REPORT } from '#/managed-services/api.ts'
import { type Question, readPrinted } from '#/nodes/api.ts'
import { WANTED_UNITS } from '#/roles/commands/start-units.ts'

export interface InactiveUnits {
  /** As they were asked for. */
  readonly names: readonly string[]
  /** Those of which a unit runs that does not start at boot. */
  readonly disabled: readonly string[]
  /** Of the first one that the Node has and that does not run. */
  readonly trouble: UnitReport | undefined
}

/** Which of the units are not running; a star in a name matches a version. */
export const unitsQuestion = (units: readonly string[]): Question<InactiveUnits> => ({
  source: SOURCE,
  args: units,
  read: (printed) =>
    readPrinted(printed, (answer) => {
      const linesOf = (name: string) => answer.text(name).split('\n').filter(Boolean)
      const [names, disabled] = [linesOf('inactive'), linesOf('disabled')]
      const isComplete = answer.flag('end') && [...names, ...disabled].every((name) => units.includes(name))
      return isComplete ? { names, disabled, trouble: troubleOf(answer) } : undefined
    }),
})

const SOURCE = [ROOT_FILES, UNIT_REPORT, WANTED_UNITS, textFile('inactive-units.sh', import.meta.url)].join(
  '\n',
)
