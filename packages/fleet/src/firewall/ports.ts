/** What the rules of Fleet need of Routes, which stand above. */
export interface PublicRoutes {
  /** Whether a public Route is live on the Node (FW-029). */
  servesPublicRoutes(nodeId: number): Promise<boolean>
}
