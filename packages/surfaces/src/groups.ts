import type { Access, Group } from '@fleet/contract'

/** What each resource group holds, in the order in which documents and help show the groups (API-004, API-005). */
export const groupTexts = {
  Gateway:
    'The status of the gateway and its root certificate, both without authentication; and the SSH key that it uses on machines.',
  Activities: 'The log of authorized commands, for audits: one row for each request, without its body.',
  Doctor: 'Compares Nodes with their records, and names the command that repairs each difference. Read-only.',
  Nodes: 'The machines of the fleet, their roles, and the grants that let one Node act on another.',
  Agents:
    'Endpoints for the agent of a Node, which authenticates with the secret of its Node. They have no CLI command and no MCP tool.',
  Clusters:
    'Nodes that share a Router and a top-level domain: records, members and the choice of the Router.',
  Firewall: 'Firewall rules of each Node: those of operators, those of Fleet itself, and the live rules.',
  Projects: 'Git repositories that the fleet runs, with the setup and teardown steps of their Instances.',
  GitHub:
    'The GitHub App of the gateway, with which it reads private repositories: its registration, its installations and its removal.',
  Instances: 'Checkouts of a Project on a Node, from creation to removal.',
  Deployments:
    'Releases of production Instances: the steps of a deployment, its runs with their output, and rollback.',
  Routes: 'Domains of the private network and what they lead to: a service of a Node, or an Instance.',
  Processes:
    'Commands that keep running on a Node, on its own or for an Instance, as units of systemd: their creation, status, usage and logs.',
  Schedules:
    'Commands that a Node runs at the times of a calendar, on its own or for an Instance: their creation, runs, results and logs.',
  Tools: 'Packages that Fleet installs, updates, adopts and removes on a Node through its package managers.',
  Environment:
    'The configuration of an Instance: stored encrypted on the gateway and written to its `.env` file. No response contains a value.',
  Databases:
    'Registered databases: where each is and how to log in, and reading or changing it with SQL. No response contains a password.',
  Dependencies:
    'What an Instance depends on: packages, versions and requirements, read from its lock files and stored on the gateway.',
  Logs: 'Logs of Instances and Processes, followed live over the WebSocket server.',
  Realtime: 'The address of the live feed, and the signatures that authorize a client to subscribe.',
} as const satisfies Record<Group, string>

/** Groups in the order of `groupTexts`. */
export const groups = Object.keys(groupTexts) as readonly Group[] // The keys are checked against Group above.

/** Who may call, as a sentence for people. */
export const accessTexts = {
  public: 'Access: anyone who can reach the gateway, without authentication.',
  peer: 'Access: every active Node. The response contains only what the caller can access.',
  agent:
    'Access: only the agent of a managed Linux Node, from its tunnel address, with its secret as bearer token.',
  gateway: 'Access: callers with a grant on the gateway Node.',
  node: 'Access: callers with a grant on the Node in the path.',
  roleNodes:
    'Access: callers with a grant on the Node in the path; for `ingress` on every Node of its Cluster, for `gateway`, `websocket` and `metrics` also on the gateway Node.',
  relocationNodes:
    'Access: callers with a grant on the Node in the path, on the Node that has the role, on the Node in `from`, and on the gateway Node.',
  servingNode: 'Access: callers with a grant on the serving Node or on the gateway Node.',
  clusterNodes:
    'Access: callers with a grant on every Node of the Cluster, or on the gateway Node if the Cluster has no Nodes; a Node in the path needs a grant too.',
  bodyNode: 'Access: callers with a grant on the Node in `node_id`.',
  cloneNodes: 'Access: callers with a grant on the Node of the candidate and on the Node in `node_id`.',
  instanceNode: 'Access: callers with a grant on the Node of the Instance.',
  processNode: 'Access: callers with a grant on the Node of the Process.',
  deploymentNode: 'Access: callers with a grant on the Node of the Instance.',
  scheduleNode: 'Access: callers with a grant on the Node of the Schedule.',
  scheduleHost: 'Access: only the Node that runs the Schedule, from its tunnel address.',
  toolNode: 'Access: callers with a grant on the Node of the Tool.',
  queryNode: 'Access: callers with a grant on the Node in `node_id`.',
  bodyTarget:
    'Access: callers with a grant on the Node in `target_id`, or on the Node of the Instance in `target_id`.',
  transferNodes: 'Access: callers with a grant on the Node of the Instance and on the Node in `node_id`.',
  activityNode:
    'Access: callers with a grant on the Node that made the request, on the Node it acted on, or on the gateway Node.',
  projectNode:
    'Access: callers with a grant on a Node that runs an Instance of the Project, or on the gateway Node if the Project has no Instances.',
  projectAddressable:
    'Access: callers with a grant on a Node that runs an Instance of the Project; every active Node if the Project has no Instances.',
  routeNodes:
    'Access: callers with a grant on the Node that serves the Route, or on every Node of its Cluster (the gateway Node if that has no Nodes).',
  routeTarget:
    'Access: callers with a grant on the Node that serves the Route, or on every Node of its Cluster (the gateway Node if that has no Nodes), and on the Nodes of the Instances in `instance_id` or `targets` and every Node of their active Clusters.',
  bodyRoute:
    'Access: callers with a grant on the Node in `node_id`, or on the Node of the Instance in `instance_id` and on every Node of its active Cluster.',
} as const satisfies Record<Access, string>
