#!/bin/bash
# Workers on a cluster with Slurm: sbatch --array=1-50 slurm.sh
# A worker ends when there has been nothing to do for a minute, and gives back its games when its time is up.
#SBATCH --job-name=lanista-worker
#SBATCH --cpus-per-task=8
#SBATCH --mem=16G
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@60
exec lanista worker tls://cluster.example:4222 \
    --name "slurm-${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}-${SLURM_ARRAY_TASK_ID:-0}" \
    --concurrency "${SLURM_CPUS_PER_TASK:-1}" \
    --cache "${SLURM_TMPDIR:-/tmp}/lanista-bots" \
    --nkey-file "$HOME/.config/lanista/worker.nk" --tls-ca "$HOME/.config/lanista/ca.pem" \
    --exit-when-idle 60
