! SPDX-License-Identifier: BSD-3-Clause
!
! The temperature of a plate with one hot edge, by Jacobi's method.
!
!     gfortran -O2 heat.f90 -o heat $(pkg-config --cflags --libs pmu-fortran)
!     ./heat [SWEEPS]
!
! Another compiler than the one the module was made with compiles the module, too:
!
!     FC -O2 $(pkg-config --variable=fortransource pmu) heat.f90 -o heat $(pkg-config --libs pmu)
program heat
    use, intrinsic :: iso_fortran_env, only: real64
    use pmu
    implicit none

    integer, parameter :: n = 64     ! points on an edge
    integer, parameter :: every = 10 ! sweeps from one look at the residual to the next
    real(real64) :: now(n, n) = 0, next(n, n) = 0, left = 0
    character(len=20) :: argument
    integer :: i, n_sweeps

    n_sweeps = 100
    call get_command_argument(1, argument)
    if (argument /= "") read (argument, *) n_sweeps
    call init()
    call pmu_region_begin("solve")
    do i = 1, n_sweeps
        call sweep()
        if (mod(i, every) == 0) left = residual()
    end do
    call pmu_region_end("solve")
    print '("after ", i0, " sweeps the residual is ", es12.6e2)', n_sweeps, left

contains

    subroutine init()
        call pmu_region_begin("init")
        now(1, :) = 1
        next(1, :) = 1
        call pmu_region_end("init")
    end subroutine

    real(real64) function mean(i, j)
        integer, intent(in) :: i, j

        mean = 0.25_real64 * (now(i, j - 1) + now(i, j + 1) + now(i - 1, j) + now(i + 1, j))
    end function

    subroutine sweep()
        integer :: i, j

        call pmu_region_begin("sweep")
        do j = 2, n - 1
            do i = 2, n - 1
                next(i, j) = mean(i, j)
            end do
        end do
        now = next
        call pmu_region_end("sweep")
    end subroutine

    ! The largest difference between a point and the mean of its neighbours.
    real(real64) function residual()
        integer :: i, j

        call pmu_region_begin("residual")
        residual = 0
        do j = 2, n - 1
            do i = 2, n - 1
                residual = max(residual, abs(mean(i, j) - now(i, j)))
            end do
        end do
        call pmu_region_end("residual")
    end function
end program
