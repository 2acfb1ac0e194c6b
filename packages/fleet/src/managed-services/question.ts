import type { UnitReport } from '@fleet/contract'
import { ROOT_FILES, textFile } from '@fleet/shell'
import { EXECUTABLE_FUNCTIONS, executablePlaceIn } from '#/managed-services/executable/scripts.ts'
import { type ExecutableState, executableStateOf } from '#/managed-services/executable/state.ts'
import type { ServicePlaces } from '#/managed-services/declaration.ts'
import { NO_WRITES, planLines } from '#/managed-services/plan.ts'
import { PLAN, STATE, UNIT_REPORT } from '#/managed-services/scripts.ts'
import { type ServiceState, serviceStateOf } from '#/managed-services/state.ts'
import { troubleOf } from '#/managed-services/trouble.ts'
import { type Question, readPrinted } from '#/nodes/api.ts'

/** What Doctor sees of a service. */
export interface ServiceSight {
  readonly state: ServiceState
  /** Undefined for a service that does not use it. */
  readonly program: ExecutableState | undefined
  /** Of the first unit that does not run, in the order of the declaration. */
  readonly trouble: UnitReport | undefined
}

const SOURCE = [
  ROOT_FILES,
  'root=$1 plan=$2\nshift 2',
  PLAN,
  STATE,
  EXECUTABLE_FUNCTIONS,
  UNIT_REPORT,
  textFile('commands/question.sh', import.meta.url),
].join('\n')

/** Files, units and executable in one answer: hashing the executable is the dearest part of an inspection. */
export function serviceQuestion(service: ServicePlaces, root = ''): Question<ServiceSight> {
  const { directory, link } = executablePlaceIn(root)
  return {
    source: SOURCE,
    args: [root, planLines(service, NO_WRITES), ...(service.usesExecutable ? [directory, link] : ['-', '-'])],
    read: (printed) =>
      readPrinted(printed, (answer) => {
        return {
          state: serviceStateOf(service, answer),
          program: service.usesExecutable ? executableStateOf(answer) : undefined,
          trouble: troubleOf(answer, service.secrets),
        }
      }),
  }
}
