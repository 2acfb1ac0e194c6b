/** What the environment needs from Routes, which stand above it. */
export interface OwnRoutes {
  /** The Instance's own Route: its domain and whether it is healthy and in no transition; undefined when it has none. */
  ownRoute(instanceId: number): Promise<{ readonly domain: string; readonly healthy: boolean } | undefined>
}
