/** What the rules of Fleet need to know from domains above. */
export interface FirewallSurroundings {
  /** UDP port of the tunnel's hub. */
  hubPort(): Promise<number>
  /** UDP port of the tunnel on every other Node. */
  readonly peerPort: number
  /** TCP port of the WebSocket server. */
  readonly websocketPort: number
  /** Whether a public Route is live on the Node (FW-029). */
  servesPublicRoutes(nodeId: number): Promise<boolean>
}
