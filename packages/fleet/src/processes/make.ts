import type { Database } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { HandlersOf } from '#/handler.ts'
import type { InstanceDefinitions, InstanceRuntime } from '#/instances/api.ts'
import type { FamilyChecks, NodeArtifact, NodeSession } from '#/nodes/api.ts'
import { makeRestart } from '#/processes/restart.ts'
import { makeStart } from '#/processes/start.ts'
import { makeStop } from '#/processes/stop.ts'
import { makeProcessesArtifact } from '#/processes/artifact.ts'
import { makeProcessChecks, makeResidueChecks } from '#/processes/checks/make.ts'
import { makeProcessMoves, type ProcessMoves } from '#/processes/moves.ts'
import { type ConnectionDependents, makeConnectionDependents } from '#/processes/connections/dependents.ts'
import { followKind } from '#/processes/connections/moved-kind.ts'
import { makeProcessCopies } from '#/processes/copies.ts'
import { makeCreate } from '#/processes/create.ts'
import { type Dashboard, dashboardOf } from '#/processes/dashboard.ts'
import { makeDestroy } from '#/processes/destroy.ts'
import { findProcess } from '#/processes/find.ts'
import { followDomainKind } from '#/processes/moved-domain.ts'
import type { Listener } from '#/processes/commands/unit-listeners.ts'
import { listenersOf } from '#/processes/listeners.ts'
import { makeList } from '#/processes/list.ts'
import { makeProcessLocators, type ProcessLocators } from '#/processes/locators.ts'
import { dropOfNode, makeInstanceRuntime } from '#/processes/owned.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { countOfNode } from '#/processes/queries.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { makeServerContainers, type ServerContainers } from '#/processes/servers.ts'
import { makeSleepingProcesses, type SleepingProcesses } from '#/processes/sleep/sleep.ts'
import { secretsOf, type SecretsOf } from '#/processes/secrets.ts'
import { sampleUsage } from '#/processes/usage.ts'
import type { ProcessUsage } from '#/realtime/api.ts'
import type { WorkKind } from '#/work/api.ts'

export interface ProcessesDomain {
  readonly handlers: HandlersOf<`process:${'create' | 'destroy' | 'list' | 'start' | 'stop' | 'restart'}`>
  readonly locators: ProcessLocators
  readonly processes: {
    find(id: number): Promise<ProcessRecord | undefined>
    readonly secretsOf: SecretsOf
    /** The Process that runs the queue dashboard of an Instance (INS-125). */
    dashboardOf(instanceId: number): Promise<Dashboard | undefined>
    /** TCP ports of the loopback addresses at which it is reached. */
    listenersOf(session: NodeSession, process: ProcessRecord): Promise<readonly Listener[]>
  }
  readonly servers: ServerContainers
  /** What a change of a database connection does with those that depend on it. */
  readonly dependents: ConnectionDependents
  readonly workKinds: readonly WorkKind[]
  /** What hibernation does with those of an Instance. */
  readonly sleeping: SleepingProcesses
  readonly usage: ProcessUsage
  /** What the removal of an Instance does with its Processes. */
  readonly runtime: InstanceRuntime
  /** What a transfer of an Instance does with its Processes. */
  readonly moves: ProcessMoves
  /** What a production Instance gets of its Project's definitions. */
  readonly definitions: InstanceDefinitions
  readonly artifact: NodeArtifact
  readonly checks: readonly FamilyChecks[]
  /** Processes that a Node owns itself. */
  countOn(nodeId: number): Promise<number>
  /** Deletes the records of a Node that is removed without being reached. */
  dropOn(tx: Database, call: Call, nodeId: number): Promise<void>
}

/** Commands that keep running on Nodes, for Instances or for the Nodes themselves. */
export const makeProcesses = (deps: ProcessesDeps): ProcessesDomain => ({
  dependents: makeConnectionDependents(deps),
  workKinds: [followKind(makeConnectionDependents(deps)), followDomainKind(deps)],
  handlers: {
    'process:list': makeList(deps),
    'process:create': makeCreate(deps),
    'process:start': makeStart(deps),
    'process:stop': makeStop(deps),
    'process:restart': makeRestart(deps),
    'process:destroy': makeDestroy(deps),
  },
  locators: makeProcessLocators(deps),
  processes: {
    find: (id) => findProcess(deps, id),
    secretsOf: secretsOf(deps),
    dashboardOf: (instanceId) => dashboardOf(deps, instanceId),
    listenersOf: (session, process) => listenersOf(deps, session, process),
  },
  servers: makeServerContainers(deps),
  sleeping: makeSleepingProcesses(deps),
  usage: { sample: (call) => sampleUsage(deps, call) },
  runtime: makeInstanceRuntime(deps),
  moves: makeProcessMoves(deps),
  definitions: makeProcessCopies(deps),
  artifact: makeProcessesArtifact(deps),
  checks: [makeProcessChecks(deps), makeResidueChecks(deps)],
  countOn: (nodeId) => countOfNode(deps.store.db, nodeId),
  dropOn: dropOfNode,
})
