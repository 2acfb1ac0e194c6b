import { fail } from '@fleet/contract'
import { textFile } from '@fleet/shell'
import {
  admitMarked,
  type ManagedService,
  type ServicePlaces,
  UNIT_DIRECTORY,
} from '#/managed-services/api.ts'
import { identityOf, type NodeRecord } from '#/nodes/api.ts'
import { IdentityOverride, tuningIn } from '#/php/production/local-tuning.ts'
import {
  productionPaths,
  productionPools,
  type ProductionService,
  productionUnit,
} from '#/php/production/service-record.ts'
import { CACHE_TEXT, configurationText, markerOf, MASTER_TEXT, unitText } from '#/php/production/text.ts'
import { SAID, STAGES } from '#/php/service/failures.ts'
import { UnsafeDirectory } from '#/php/service/text.ts'

const READY_SECONDS = 40
const LOCKS = '/run/lock/fleet'
const LOCK_SECONDS = 30

type Named = Pick<ProductionService, 'user' | 'version'>

/** What is on the Node of a service, whatever its pools: enough to remove it. The operator's tuning stays (INS-118). */
export function productionPlaces(service: Named): ServicePlaces {
  const unit = productionUnit(service)
  const { home, generated, configuration, master, cache } = productionPaths(service)
  return {
    name: `php-${service.user}`,
    folders: [
      { path: LOCKS, mode: '700', keeping: 'kept' },
      { path: '/etc/fleet', mode: '711', keeping: 'shared' },
      { path: '/etc/fleet/php-fpm', mode: '711', keeping: 'kept' },
      { path: home, mode: '711', keeping: 'kept' },
      { path: generated, mode: '711', keeping: 'own' },
    ],
    files: [configuration, master, cache].map((path) => ({ path, mode: '644' })),
    units: [
      {
        name: unit,
        file: 'own',
        isEnabled: true,
        onChange: 'reload',
        reads: [configuration, master, `${UNIT_DIRECTORY}/${unit}`],
      },
    ],
    lock: { path: `${LOCKS}/php-${service.user}.lock`, seconds: LOCK_SECONDS, isPrivate: true },
    hooks: { admit: admitMarked(markerOf(service), [`${UNIT_DIRECTORY}/${unit}`]) },
    ready: { kind: 'active', seconds: READY_SECONDS },
    removal: { paths: [] },
    failure: (reason, reported) => ({
      code: 'app-prod.php_runtime_failed',
      details: {
        stage: reported?.stage ?? STAGES[reason] ?? 'write',
        message: reported?.message ?? SAID[reason],
      },
    }),
  }
}

/** What a rendering found besides: whether the manager that runs has taken what was there. */
export interface Observed {
  isSettled: boolean
}

/** The service with its pools, as the records are now (RTX-124 to RTX-129). */
export function productionService(
  node: NodeRecord,
  service: ProductionService,
  observed: Observed,
): ManagedService {
  const places = productionPlaces(service)
  const { user, version } = service
  const unit = productionUnit(service)
  const { configuration, master, cache } = productionPaths(service)
  const sockets = productionPools(service).map(({ socket }) => socket)
  const hook = (source: string, ...argument: readonly string[]) => ({ source, argument: argument.join(' ') })
  return {
    ...places,
    hooks: {
      ...places.hooks,
      facts: hook(textFile('facts.sh', import.meta.url), user, unit),
      check: hook(textFile('check.sh', import.meta.url), user, version),
      prepare: hook(textFile('prepare.sh', import.meta.url), user),
      probe: hook(textFile('probe.sh', import.meta.url), user, unit, ...sockets),
    },
    render: ({ facts }) => {
      observed.isSettled = facts.flag('settled')
      const local = facts.word('local', ['absent', 'file', 'unsafe'])
      if (local === 'unsafe') throw identityInvalid(node, service, 'local.conf is not a small regular file')
      const text = local === 'file' ? facts.text('tuning') : ''
      return {
        units: { [unit]: unitText(service) },
        files: {
          [configuration]: configurationFor(node, service, text),
          [master]: MASTER_TEXT,
          [cache]: CACHE_TEXT,
        },
      }
    },
  }
}

/** Throws `app-prod.php_runtime_identity_invalid` and `app-prod.php_runtime_failed`. */
function configurationFor(node: NodeRecord, service: ProductionService, local: string): string {
  try {
    return configurationText(service, tuningIn(local))
  } catch (error) {
    if (error instanceof IdentityOverride) throw identityInvalid(node, service, error.line)
    if (!(error instanceof UnsafeDirectory)) throw error
    const message = 'A directory of the pools has a quote, a backslash or a dollar sign in its path.'
    throw fail('app-prod.php_runtime_failed', {
      details: { node: identityOf(node), stage: 'render', message },
    })
  }
}

const MAX_SHOWN = 100

const identityInvalid = (node: NodeRecord, service: ProductionService, line: string): Error =>
  fail('app-prod.php_runtime_identity_invalid', {
    details: {
      node: identityOf(node),
      file: productionPaths(service).local,
      // A value may be a secret: the name of the setting is enough to find it.
      setting: line.split('=')[0]?.trim().slice(0, MAX_SHOWN) ?? '',
    },
  })
