import type { DoctorCode } from '@fleet/contract'
import { ROOT_FILES, textFile } from '@fleet/shell'
import {
  asked,
  type Check,
  type FamilyChecks,
  type Question,
  readPrinted,
  type Verdict,
} from '#/nodes/api.ts'
import { judgedServices } from '#/php/checks/records.ts'
import type { PhpDeps } from '#/php/deps.ts'
import { tuningIn } from '#/php/production/local-tuning.ts'
import { productionPools, type ProductionService, productionUnit } from '#/php/production/service-record.ts'
import { configurationText } from '#/php/production/text.ts'

/** The services of a Node. */
interface Found {
  /** By Unix user. */
  readonly configurations: ReadonlyMap<string, string>
  readonly tunings: ReadonlyMap<string, string>
  /** Units that run. */
  readonly active: readonly string[]
  /** Units that start at boot. */
  readonly enabled: readonly string[]
}

/** Each production Instance has the PHP service of its records, its own, as it is rendered now (DRF-045). */
export const makeServiceChecks = (deps: PhpDeps): FamilyChecks => ({
  family: 'instance',
  checksOf: async (_call, node) => {
    if (!(await deps.network.settings())) return []
    const question = servicesQuestion(deps.root ?? '')
    return (await judgedServices(deps, node)).flatMap((service) => checksOf(service, question))
  },
})

function checksOf(service: ProductionService, question: Question<Found>): readonly Check[] {
  const { id, name } = service.instance
  const check = (code: DoctorCode, judge: (found: Found) => Verdict): Check =>
    asked(code, { type: 'instance', id, name }, question, judge)
  return [
    check('instance.php_fpm_association_missing', (found) => {
      if (!found.configurations.has(service.user)) return { expected: 'a service', observed: 'none' }
      const unit = productionUnit(service)
      if (!found.active.includes(unit)) return { expected: 'a running service', observed: 'stopped' }
      return found.enabled.includes(unit)
        ? undefined
        : { expected: 'a running service', observed: 'does not start at boot' }
    }),
    check('instance.php_fpm_association_shared', (found) =>
      isShared(service, found) ? { expected: 'its own service', observed: 'shared' } : undefined,
    ),
    check('instance.php_fpm_projection_mismatch', (found) => {
      const text = found.configurations.get(service.user)
      if (text === undefined || text === expectedText(service, found)) return undefined
      return { expected: 'the recorded service', observed: 'another configuration' }
    }),
  ]
}

const isShared = (service: ProductionService, { configurations }: Found): boolean =>
  productionPools(service).some(({ socket }) =>
    [...configurations].some(
      ([user, text]) => user !== service.user && text.split('\n').includes(`listen = ${socket}`),
    ),
  )

/** Undefined where none can be rendered: no file is as it should be then. */
function expectedText(service: ProductionService, { tunings }: Found): string | undefined {
  try {
    return configurationText(service, tuningIn(tunings.get(service.user) ?? '')).trimEnd()
  } catch {
    return undefined
  }
}

const servicesQuestion = (root: string): Question<Found> => ({
  source: [ROOT_FILES, textFile('services.sh', import.meta.url)].join('\n'),
  args: [root],
  read: (printed) =>
    readPrinted(printed, (answer) => {
      answer.word('end', ['yes'])
      const under = (prefix: string): ReadonlyMap<string, string> =>
        new Map(
          answer
            .names()
            .filter((name) => name.startsWith(prefix))
            .map((name) => [name.slice(prefix.length), answer.text(name)]),
        )
      return {
        configurations: under('configuration.'),
        tunings: under('tuning.'),
        active: answer.text('active').split('\n'),
        enabled: answer.text('enabled').split('\n'),
      }
    }),
})
