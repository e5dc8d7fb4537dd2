! SPDX-License-Identifier: BSD-3-Clause
! Parallel regions in Fortran.
subroutine solve(x, n)
  integer :: n, i
  real :: x(n)
  !$omp parallel do schedule(dynamic)
  do i = 1, n
    x(i) = i
  end do
end subroutine

program openmp
  real :: x(100)
  integer :: k
  do k = 1, 3
    call solve(x, 100)
  end do
  !$omp parallel
  !$omp end parallel
  print *, sum(x)
end program
