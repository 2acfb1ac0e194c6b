import type { ListView, Paper, StreamText, View } from './view.ts'

const instanceRecord = async (): Promise<View> => (await import('./instance-show.ts')).instanceRecord
const clusterShow = async (): Promise<View> => (await import('./cluster-show.ts')).clusterShow
const routeShow = async (): Promise<View> => (await import('./route-show.ts')).routeShow
const routeChanged = async (): Promise<View> => (await import('./route-show.ts')).routeChanged
const removed = (noun: string) => async (): Promise<View> => (await import('./removed.ts')).removed(noun)
const envResult = async (): Promise<View> => (await import('./env-result.ts')).envResult

const ownedList = async (): Promise<ListView> => (await import('./owned-list.ts')).ownedList

/** Views by operation, loaded when their answer is printed. */
export const views: Readonly<Record<string, () => Promise<View>>> = {
  'database:query': async () => (await import('#/database/result.ts')).queryResult,
  'dependency:where': async () => (await import('./dependency-where.ts')).dependencyWhere,
  'instance:dependencies:update': async () =>
    (await import('#/dependencies/update-text.ts')).dependencyUpdate,
  'instance:dependencies:show': async () =>
    (await import('#/dependencies/inventory-text.ts')).dependencyInventory,
  'doctor:run': async () => (await import('./doctor.ts')).doctor,
  'cluster:show': clusterShow,
  'cluster:create': clusterShow,
  'cluster:update': clusterShow,
  'cluster:node:attach': clusterShow,
  'cluster:node:detach': clusterShow,
  'cluster:router:set': clusterShow,
  'cluster:router:clear': clusterShow,
  'deployment:show': async () => (await import('./deployment.ts')).deploymentShow,
  'instance:show': async () => (await import('./instance-show.ts')).instanceShow,
  'instance:create': instanceRecord,
  'instance:setup': instanceRecord,
  'instance:register': async () => (await import('./instance-show.ts')).instancesRegistered,
  'instance:clone': instanceRecord,
  'instance:rename': instanceRecord,
  'instance:update': instanceRecord,
  'instance:transfer': instanceRecord,
  'instance:queue': async () => (await import('./instance-queue.ts')).instanceQueue,
  'route:show': routeShow,
  'route:create': routeChanged,
  'route:update': routeChanged,
  'route:target:set': routeChanged,
  'route:target:unset': routeChanged,
  'instance:destroy': removed('Instance'),
  'route:destroy': removed('Route'),
  'project:destroy': removed('Project'),
  'database:destroy': removed('Database connection'),
  'cluster:destroy': removed('Cluster'),
  'process:destroy': removed('Process'),
  'schedule:destroy': removed('Schedule'),
  'database:server:destroy': removed('Database server'),
  'env:import': envResult,
  'env:update': envResult,
  'env:sync': envResult,
  'tool:scan': async () => (await import('./tool-scan.ts')).toolScan,
  'node:show': async () => (await import('./node-show.ts')).nodeShow,
  'node:remove': async () => (await import('./node-remove.ts')).nodeRemove,
  'node:converge': async () => (await import('./node-converge.ts')).nodeConverge,
  'node:firewall:live': async () => (await import('./firewall-live.ts')).firewallLive,
}

/** The same for lists, which stay tables. */
export const listViews: Readonly<Record<string, () => Promise<ListView>>> = {
  'route:list': async () => (await import('./route-list.ts')).routeList,
  'process:list': ownedList,
  'schedule:list': ownedList,
}

const deployment = async (paper: Paper, instance?: string): Promise<StreamText> =>
  new (await import('./deployment.ts')).DeploymentText(paper, { instance })

/** The same for streams, of an Instance as it may be typed. */
export const streamViews: Readonly<Record<string, (paper: Paper, instance?: string) => Promise<StreamText>>> =
  {
    'instance:deploy': deployment,
    'instance:rollback': deployment,
  }
