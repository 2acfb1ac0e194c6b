import type { InstanceDefinitions, InstanceRoutes, InstanceRuntime } from '#/instances/api.ts'

// Ports of a lower domain, whose owners are made from it: they are asked for when they are used.

/** What runs of an Instance, in order. The domains are made from Instances, and these from them. */
export const joined = (all: () => readonly InstanceRuntime[]): InstanceRuntime => ({
  stop: async (session, id) => {
    for (const runtime of all()) await runtime.stop(session, id)
  },
  remove: async (session, id) => {
    for (const runtime of all()) await runtime.remove(session, id)
  },
  leaveBehind: async (tx, call, places) => {
    for (const runtime of all()) await runtime.leaveBehind(tx, call, places)
  },
})

/** Copies of the definitions of a Project, of every kind. */
export const copying = (all: () => readonly InstanceDefinitions[]): InstanceDefinitions => ({
  requireInstallable: async (session, projectId) => {
    for (const definitions of all()) await definitions.requireInstallable(session, projectId)
  },
  copy: async (session, id) => {
    for (const definitions of all()) await definitions.copy(session, id)
  },
})

/** The port as it is when it is used: Routes are made from Instances, and Instances from them. */
export const asked = (routes: () => InstanceRoutes): InstanceRoutes => ({
  plan: (...given) => routes().plan(...given),
  planPreview: (...given) => routes().planPreview(...given),
  reserve: (...given) => routes().reserve(...given),
  publish: (...given) => routes().publish(...given),
  unpublish: (...given) => routes().unpublish(...given),
  remove: (...given) => routes().remove(...given),
  planMove: (...given) => routes().planMove(...given),
  move: (...given) => routes().move(...given),
  tellMoved: (...given) => routes().tellMoved(...given),
  withdrawNames: (...given) => routes().withdrawNames(...given),
  forget: (...given) => routes().forget(...given),
  leaveBehind: (...given) => routes().leaveBehind(...given),
  changeDomain: (...given) => routes().changeDomain(...given),
  own: (...given) => routes().own(...given),
  targetsOf: (...given) => routes().targetsOf(...given),
})
