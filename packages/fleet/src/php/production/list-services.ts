import { programOf, START, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'
import type { ProductionService } from '#/php/production/service-record.ts'

export type ServiceName = Pick<ProductionService, 'user' | 'version'>

/** The PHP services of production Instances that are on a Node, by the marker in their units. */
export const listServices: NodeScript<{ readonly root: string }, readonly ServiceName[]> = {
  source: programOf(textFile('list-services.sh', import.meta.url), START),
  args: ({ root }) => [root],
  timeoutSeconds: 30,
  reasons: {},
  broken: 'app-prod.php_runtime_failed',
  read: (answer) => {
    answer.word('end', ['yes'])
    return answer
      .text('services')
      .split('\n')
      .flatMap((line) => {
        const [, user, version] = /^([a-z][a-z0-9-]*) (\d+\.\d+)$/.exec(line) ?? []
        // A copy of a unit that somebody keeps beside it is no service of Fleet's.
        return user === undefined || version === undefined ? [] : [{ user, version }]
      })
  },
}
