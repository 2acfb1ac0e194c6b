import type { Access, Group } from '@fleet/contract'

/** What each resource group holds, in the order in which documents and help show the groups (API-004, API-005). */
export const groupTexts = {
  Gateway:
    'Whether the gateway is ready and the root certificate that clients trust, both without an identity; and the key with which it logs in on machines.',
  Activities: 'The log of authorized commands: one row for each request, without its body.',
  Doctor:
    'Whether Nodes and records are as they should be, and what repairs what is not. It changes nothing.',
  Nodes:
    'The machines of the fleet, the grants by which one Node may act on another, and the roles they carry.',
  Agents:
    'What the agent of a Node asks of the gateway. It calls by itself, with the secret of its Node; there is no command and no tool.',
  Clusters:
    'Nodes that share a Router and a top-level domain: records, membership and which Node is the Router.',
  Firewall:
    'Rules of the firewall on each Node: those of operators, those of Fleet itself, and what stands there live.',
  Projects:
    'Git repositories that the fleet runs, with the steps that set their Instances up and take them down.',
  Instances: 'Checkouts of a Project on a Node, from creation to removal.',
  Routes: 'Domains of the private network and what they lead to: a service of a Node, or an Instance.',
  Environment:
    'The configuration of an Instance: stored encrypted on the gateway and written to its `.env` file. No answer holds a value.',
  Logs: 'Logs of Instances and Processes, followed live over the WebSocket server.',
  Realtime: 'Where the live feed is, and the signatures that let a client subscribe to it.',
} as const satisfies Record<Group, string>

/** Groups in the order of `groupTexts`. */
export const groups = Object.keys(groupTexts) as readonly Group[] // The keys are checked against Group above.

/** Who may call, as a sentence for people. */
export const accessTexts = {
  public: 'Anyone who reaches the gateway may call this; no identity is needed.',
  peer: 'Every active Node may call this; the answer holds only what the caller may address.',
  agent:
    'Only the agent of a managed Linux Node may call this: from its tunnel address, with its secret as bearer value.',
  gateway: 'The caller needs a grant on the gateway Node.',
  node: 'The caller needs a grant on the Node that the path names.',
  servingNode: 'The caller needs a grant on the serving Node or on the gateway Node.',
  clusterNodes:
    'The caller needs a grant on every Node of the Cluster, or on the gateway Node when the Cluster has none; a Node that the path names needs a grant too.',
  bodyNode: 'The caller needs a grant on the Node that `node_id` names.',
  instanceNode: 'The caller needs a grant on the Node of the Instance.',
  processNode: 'The caller needs a grant on the Node of the Process.',
  activityNode:
    'The caller needs a grant on the Node that made the request or on the one it acted on, or on the gateway Node.',
  projectNode:
    'The caller needs a grant on a Node that runs an Instance of the Project, or on the gateway Node when the Project has no Instances.',
  projectAddressable:
    'The caller needs a grant on a Node that runs an Instance of the Project; a Project without Instances may be read by every active Node.',
  routeNodes: 'The caller needs a grant on the Node that serves the Route, or on every Node of its Cluster.',
  bodyRoute:
    'The caller needs a grant on the Node of `node_id`, or on that of the Instance of `instance_id`.',
} as const satisfies Record<Access, string>
