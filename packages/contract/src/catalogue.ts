import type * as z from 'zod'
import { activityOperations } from './activities/index.ts'
import { agentOperations } from './agents/index.ts'
import { clusterOperations } from './clusters/index.ts'
import { databaseOperations } from './databases/index.ts'
import { dependencyOperations } from './dependencies/index.ts'
import { deploymentOperations } from './deployments/index.ts'
import { doctorOperations } from './doctor/index.ts'
import { environmentOperations } from './environment/index.ts'
import { firewallOperations } from './firewall/index.ts'
import { gatewayOperations } from './gateway/index.ts'
import { hibernationOperations } from './hibernation/index.ts'
import { instanceOperations } from './instances/index.ts'
import { nodeOperations } from './nodes/index.ts'
import { logOperations } from './logs/index.ts'
import { processOperations } from './processes/index.ts'
import { scheduleOperations } from './schedules/index.ts'
import type { Operation } from './operation.ts'
import { projectOperations } from './projects/index.ts'
import { realtimeOperations } from './realtime/index.ts'
import { routeOperations } from './routes/index.ts'
import { githubOperations } from './github/index.ts'
import { sourceHostOperations } from './source-host/index.ts'
import { toolOperations } from './tools/index.ts'

const declared = {
  ...gatewayOperations,
  ...activityOperations,
  ...nodeOperations,
  ...agentOperations,
  ...doctorOperations,
  ...clusterOperations,
  ...firewallOperations,
  ...sourceHostOperations,
  ...githubOperations,
  ...projectOperations,
  ...instanceOperations,
  ...hibernationOperations,
  ...deploymentOperations,
  ...routeOperations,
  ...environmentOperations,
  ...databaseOperations,
  ...dependencyOperations,
  ...processOperations,
  ...scheduleOperations,
  ...toolOperations,
  ...logOperations,
  ...realtimeOperations,
} as const

type Declared = (typeof declared)[keyof typeof declared]
export type OperationName = Declared['name']
/** The declaration behind a name, with its exact types. */
export type OperationOf<N extends OperationName> = Extract<Declared, { readonly name: N }>
export type InputOf<N extends OperationName> = z.output<OperationOf<N>['input']>
/** What a client sends: before defaults and coercions. */
export type RequestOf<N extends OperationName> = z.input<OperationOf<N>['input']>
export type OutputOf<N extends OperationName> = z.output<OperationOf<N>['output']>

/** Every operation, sorted by name. All interfaces are projections of this list. */
export const catalogue: readonly Operation[] = Object.values<Operation>(declared).toSorted((a, b) =>
  a.name < b.name ? -1 : 1,
)

const byName = new Map<string, Operation>(catalogue.map((operation) => [operation.name, operation]))
export const findOperation = (name: string): Operation | undefined => byName.get(name)
