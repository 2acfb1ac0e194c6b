/** What the rules of Fleet need from Routes, which are above. */
export interface PublicRoutes {
  /** Whether a public Route is live on the Node (FW-029). */
  servesPublicRoutes(nodeId: number): Promise<boolean>
}
