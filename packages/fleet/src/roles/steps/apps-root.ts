import { appsRoot, checkAppsRoot, type NodeSession } from '#/nodes/api.ts'

/** The root of development checkouts, made as the managed user where it is missing (NODE-104, NODE-109). */
export const ensureAppsRoot = async (session: NodeSession): Promise<void> =>
  void (await session.ask(checkAppsRoot, { path: appsRoot(session.node), mayCreate: true }))
