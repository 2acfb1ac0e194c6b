import { CodedError } from '@fleet/kernel'
import { ROOT_FILES, textFile } from '@fleet/shell'
import { needsDomain, renderFile } from '#/environment/format/index.ts'
import type { EnvironmentDeps } from '#/environment/deps.ts'
import { configuredOn } from '#/environment/queries.ts'
import { readerOf, resolvedValues } from '#/environment/rules.ts'
import { openValues } from '#/environment/sealed-values.ts'
import { takeSnapshot } from '#/environment/snapshot.ts'
import { requireProfile, type Target, targetOf } from '#/environment/target.ts'
import { sha256 } from '#/managed-services/api.ts'
import { asked, type FamilyChecks, type Question, readPrinted, type Verdict } from '#/nodes/api.ts'

type CheckDeps = Pick<EnvironmentDeps, 'store' | 'instances' | 'routes' | 'databases' | 'root'>

/** By id: a digest, `missing`, `unsafe`, or `homeless` where even the home is missing. */
type Files = ReadonlyMap<number, string>

/** The `.env` file of each production Instance is what its stored configuration renders to (DRF-046). */
export const makeEnvironmentChecks = (deps: CheckDeps): FamilyChecks => ({
  family: 'instance',
  checksOf: async (_call, node) => {
    const targets: Target[] = []
    for (const { id } of await configuredOn(deps.store.db, node.id)) {
      const instance = await deps.instances.find(id)
      // One that is being moved is on two Nodes.
      if (instance && instance.node_id === node.id) targets.push(targetOf(instance))
    }
    const question = filesQuestion(deps.root ?? '', targets)
    return targets.map(({ instance: { id, name } }) =>
      asked('instance.environment_projection_mismatch', { type: 'instance', id, name }, question, (files) =>
        judge(deps, id, files.get(id)),
      ),
    )
  },
})

const EXPECTED = 'as configured'

/** Of the records as they are now: a change that is being written is judged as it was read, and reported the next time. */
async function judge(deps: CheckDeps, id: number, found: string | undefined): Promise<Verdict> {
  if (found === undefined) return { unverifiable: 'no answer' }
  // Another check has that, and a synchronization would not mend it.
  if (found === 'homeless') return undefined
  if (found === 'unsafe')
    return { expected: EXPECTED, observed: 'a link, or a file that others can read or own' }
  const instance = await deps.instances.find(id)
  if (!instance) return undefined
  // The first deployment writes it, and nothing reads it before.
  if (found === 'missing')
    return instance.selected_release === null ? undefined : { expected: EXPECTED, observed: 'none' }
  const text = await renderedText(deps, targetOf(instance))
  if (typeof text !== 'string') return text
  return sha256(text) === found ? undefined : { expected: EXPECTED, observed: 'other contents' }
}

/** Undefined while the domain changes; unverifiable where nothing could be written either. */
async function renderedText(
  deps: CheckDeps,
  { instance, environment }: Target,
): Promise<string | Exclude<Verdict, { readonly expected: string | null }>> {
  try {
    const { values, route } = await takeSnapshot(deps, instance)
    const opened = openValues(deps.store.cipher, instance.id, values)
    if ([...opened.values()].some(needsDomain) && !route?.healthy) return { unverifiable: 'route required' }
    const { resolved, problem } = resolvedValues(opened, { domain: route?.domain, environment })
    if (problem) return { unverifiable: 'a value that cannot be written' }
    return renderFile(resolved, readerOf(requireProfile(instance)))
  } catch (error) {
    if (error instanceof CodedError && error.details?.['reason'] === 'route_in_transition') return undefined
    throw error
  }
}

const filesQuestion = (root: string, targets: readonly Target[]): Question<Files> => ({
  source: [ROOT_FILES, textFile('env-files.sh', import.meta.url)].join('\n'),
  args: [
    root,
    ...targets.flatMap(({ place, instance }) => [
      place.root,
      place.user,
      instance.production_home ?? place.root,
    ]),
  ],
  read: (printed) =>
    readPrinted(printed, (answer) => {
      answer.word('end', ['yes'])
      return new Map(targets.map(({ instance }, at) => [instance.id, answer.text(`file.${at}`)]))
    }),
})
