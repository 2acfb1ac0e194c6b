import { type RoleName, roleNames } from '@fleet/contract'
import { asked, type Check, type Finding, type Question } from '#/nodes/api.ts'
import { ROLE_NEEDS } from '#/roles/catalogue.ts'
import { roleResource } from '#/roles/checks/records.ts'
import { type InactiveUnits, unitsQuestion } from '#/roles/checks/units-question.ts'
import type { Assignment } from '#/roles/queries.ts'
import { packagesQuestion } from '#/tools/api.ts'

interface Questions {
  readonly packages: Question<readonly string[]>
  readonly units: Question<InactiveUnits>
}

const QUESTIONS: ReadonlyMap<string, Questions> = new Map(
  roleNames.map((role) => [role, questionsOf(role)] as const),
)

/**
 * What an active assignment needs on its machine (DRF-030). The status of one that is not active is reported instead.
 */
export function machineChecks(assignment: Assignment): readonly Check[] {
  const questions = QUESTIONS.get(assignment.role)
  if (!questions || assignment.status !== 'active') return []
  const resource = roleResource(assignment)
  const { packages, units } = questions
  return [
    ...(packages.args?.length
      ? [asked('role.packages_missing', resource, packages, absent('installed'))]
      : []),
    ...(units.args?.length ? [asked('role.services_inactive', resource, units, inactive)] : []),
  ]
}

function questionsOf(role: RoleName): Questions {
  const { packages, units } = ROLE_NEEDS[role]
  return { packages: packagesQuestion(packages), units: unitsQuestion(units) }
}

const absent =
  (expected: string) =>
  (names: readonly string[]): Finding | undefined =>
    names.length === 0 ? undefined : { expected, observed: `not ${expected}: ${names.join(', ')}` }

const inactive = ({ names, disabled, trouble }: InactiveUnits): Finding | undefined => {
  const finding = absent('running')(names)
  if (finding) return { ...finding, service: trouble }
  if (disabled.length === 0) return undefined
  return { expected: 'starts at boot', observed: `does not start at boot: ${disabled.join(', ')}` }
}
