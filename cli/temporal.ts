// Owns the one import of Temporal's client by the command line. Loaded by those commands alone that talk to a server, since it takes longer than all the rest.
export { Client, Connection, WorkflowExecutionAlreadyStartedError, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
export { TypedSearchAttributes } from '@temporalio/common';
export { loadClientConnectConfig } from '@temporalio/envconfig';
