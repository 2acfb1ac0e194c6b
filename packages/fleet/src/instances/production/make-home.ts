import { programOf, ROOT_FILES, START, textFile } from '@fleet/shell'
import { confirmed, type NodeScript } from '#/nodes/api.ts'

export interface HomeRequest {
  readonly user: string
  readonly home: string
  readonly preparationId: string
}

/** Group that the web server of Debian runs as. */
const WEB_SERVER = 'caddy'

/** The Unix user of a production Instance and its home, which the web server may pass through and nobody else (DEPL-010). */
export const makeHome: NodeScript<HomeRequest, void> = {
  source: programOf(textFile('make-home.sh', import.meta.url), ROOT_FILES),
  args: ({ user, home, preparationId }) => [user, home, preparationId, WEB_SERVER],
  timeoutSeconds: 60,
  reasons: {
    taken: 'instance.production_placement_conflict',
    failed: { code: 'instance.clone_failed', details: { step: 'home' } },
  },
  broken: { code: 'instance.clone_failed', details: { step: 'home' } },
  read: confirmed('ready'),
}

/** Whether nobody has the user or the home yet. */
export const findHome: NodeScript<Pick<HomeRequest, 'user' | 'home'>, void> = {
  source: programOf(textFile('find-home.sh', import.meta.url), START),
  args: ({ user, home }) => [user, home],
  timeoutSeconds: 20,
  reasons: { taken: 'instance.production_placement_conflict' },
  broken: { code: 'instance.clone_failed', details: { step: 'home' } },
  read: confirmed('free'),
}
