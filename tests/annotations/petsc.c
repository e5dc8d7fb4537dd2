/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with PETSc: events and stages of its own, and a solve with PETSc's events. */
#include <petscksp.h>
#include <petsclog.h>

static PetscErrorCode solve(void)
{
	Mat A;
	Vec x, b;
	KSP ksp;
	PetscReal norm;

	PetscFunctionBeginUser;
	PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 50, 50, 3, NULL, &A));
	for (PetscInt i = 0; i < 50; i++) {
		PetscCall(MatSetValue(A, i, i, 2, INSERT_VALUES));
		if (i > 0)
			PetscCall(MatSetValue(A, i, i - 1, -1, INSERT_VALUES));
		if (i < 49)
			PetscCall(MatSetValue(A, i, i + 1, -1, INSERT_VALUES));
	}
	PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
	PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
	PetscCall(MatCreateVecs(A, &x, &b));
	PetscCall(VecSet(b, 1));
	PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
	PetscCall(KSPSetOperators(ksp, A, A));
	for (int i = 0; i < 3; i++)
		PetscCall(KSPSolve(ksp, b, x));
	PetscCall(VecNorm(x, NORM_2, &norm));
	PetscCall(PetscPrintf(PETSC_COMM_SELF, "%g\n", (double)norm));
	PetscCall(KSPDestroy(&ksp));
	PetscCall(VecDestroy(&x));
	PetscCall(VecDestroy(&b));
	PetscCall(MatDestroy(&A));
	PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
	PetscLogEvent event;
	PetscLogStage stage;

	PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
	PetscCall(PetscLogEventRegister("my event", KSP_CLASSID, &event));
	PetscCall(PetscLogStageRegister("my stage", &stage));
	for (int i = 0; i < 5; i++) {
		PetscCall(PetscLogEventBegin(event, 0, 0, 0, 0));
		PetscCall(PetscLogEventEnd(event, 0, 0, 0, 0));
	}
	PetscCall(PetscLogStagePush(stage));
	PetscCall(solve());
	PetscCall(PetscLogStagePop());
	PetscCall(PetscFinalize());
	puts("done");
	return 0;
}
