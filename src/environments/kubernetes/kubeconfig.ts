/** The variable that leads kubectl to its settings. It is no secret. */
export const KUBECONFIG = 'KUBECONFIG';
